/** The script of the documents' pages: the chosen theme, the search, copying code, and the API reference on its page. */
import { startTheme } from "../theme.ts";
import { startCopying } from "./copy-code.ts";
import { showReference } from "./reference.ts";
import { startSearch } from "./search.ts";

startTheme();
startSearch();
startCopying();
const reference = document.getElementById("api");
if (reference !== null) void showReference(reference);
