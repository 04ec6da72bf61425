/** Starts the console. */
import { render } from "preact";
import { App } from "./app.tsx";
import { startTheme } from "./theme.ts";

startTheme();
const app = document.getElementById("app")!;
// Removes the frame of index.html, which is shown until this script has been loaded.
app.replaceChildren();
render(<App />, app);
