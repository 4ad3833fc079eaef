export default import.meta.glob<Record<string, unknown>>(["./*.en.json", "../games/*/words.en.json", "../../../motherlode/games/*/told.en.json"], { eager: true, import: "default" });
