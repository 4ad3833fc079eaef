import "./app.css";
import { mount } from "svelte";
import App from "./App.svelte";
import { dress } from "./frame/taste.svelte";
import { speak } from "./words";

dress();
await speak();
mount(App, { target: document.getElementById("parlour")! });
