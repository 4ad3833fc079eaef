export default import.meta.glob<Record<string, unknown>>(["./*.fr.json", "../games/*/words.fr.json", "../../../motherlode/games/*/told.fr.json"], { eager: true, import: "default" });
