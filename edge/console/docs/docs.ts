/** The script of the documents' pages: the chosen theme, the search, and the API reference on its page. */
import { startTheme } from "../theme.ts";
import { showReference } from "./reference.ts";
import { startSearch } from "./search.ts";

startTheme();
startSearch();
const reference = document.getElementById("api");
if (reference !== null) void showReference(reference);
