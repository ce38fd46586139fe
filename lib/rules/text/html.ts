import { raw, html as writeHtml } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'

/**
 * HTML in which every text was escaped. `String(…)` returns it as a text. An object, so it is never falsy,
 * even if it is empty.
 */
export type Html = HtmlEscapedString
type HtmlValue = Html | string | number | false | undefined | readonly HtmlValue[]

/**
 * Write HTML. Texts are escaped, lists are joined, and `false` and `undefined` write nothing. No value is a
 * promise, so the result is none.
 */
export const html = writeHtml as (parts: TemplateStringsArray, ...values: HtmlValue[]) => Html

/** Take a text as HTML. Only for what the code itself contains, such as a style sheet. */
export const toHtml = (text: string): Html => raw(text)

interface HtmlPage {
  title: string
  stylesheet: string
  /** The content of the body. It ends with a line break. */
  body: Html
  /** Whether the page shows images that it contains as `data:` URLs. */
  hasImages?: boolean
}

// A program that shows an attachment may know no variables in `light-dark()`, but these.
const colours = `:root{color-scheme:light dark;--text:#1f2933;--muted:#52606d;--page:#fff;--panel:#f5f7fa;--line:#d9e2ec;--accent:#1d4ed8}
@media (prefers-color-scheme:dark){:root{--text:#f3f4f6;--muted:#a8b3c2;--page:#111827;--panel:#1f2937;--line:#374151;--accent:#7aa2ff}}
a{color:var(--accent)}`

/**
 * Return a whole HTML page in English that loads nothing and has no scripts. It has the colours of a light and
 * a dark page, and its content is the main landmark.
 */
export function writeHtmlPage({ title, stylesheet, body, hasImages = false }: HtmlPage): string {
  return String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${toHtml(`default-src 'none'; style-src 'unsafe-inline'${hasImages ? '; img-src data:' : ''}`)}">
<title>${title}</title>
<style>${toHtml(colours + stylesheet)}</style>
</head>
<body>
<main>
${body}</main>
</body>
</html>
`)
}
