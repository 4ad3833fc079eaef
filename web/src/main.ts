import "./app.css";
import { mount } from "svelte";
import App from "./App.svelte";
import { applyTheme } from "./frame/preferences.svelte";
import { speak } from "./words";

applyTheme();
await speak();
mount(App, { target: document.getElementById("parlour")! });
