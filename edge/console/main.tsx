/** Starts the console. */
import { render } from "preact";
import { App } from "./app.tsx";
import { startTheme } from "./theme.ts";

startTheme();
const app = document.getElementById("app")!;
// The frame that is shown until this script has come.
app.replaceChildren();
render(<App />, app);
