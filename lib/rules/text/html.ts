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
