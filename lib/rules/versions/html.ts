import { canSpend, spend } from '#rules/budget.ts'
import { type Html, html, writeHtmlPage } from '#rules/text/html.ts'
import { countIndentation } from '#rules/text/json.ts'
import { countWrittenBytes, maxWrittenBytes, shortenedMark } from '#rules/text/written-bytes.ts'
import type { Comparison, FieldChange, ItemChange, TextPart } from './schema.ts'

const stylesheet = `
*{box-sizing:border-box}
body{font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;color:var(--text);background:var(--page);max-width:56rem;margin:2rem auto;padding:0 1.25rem;overflow-wrap:anywhere}
h1{font-size:1.5rem;line-height:1.25}
h2{font-size:1.15rem;margin:2rem 0 .75rem;padding-bottom:.25rem;border-bottom:2px solid var(--line)}
h3{font-size:1rem;margin:0 0 .35rem}
section.item{border:1px solid var(--line);border-inline-start-width:4px;border-radius:6px;padding:.75rem 1rem;margin:0 0 .75rem}
section.added{border-inline-start-color:#1a7f37}
section.removed{border-inline-start-color:#cf222e}
.badge,dt{color:var(--muted);font-weight:400;font-size:.87em}
dl{margin:.5rem 0 0}
dd{margin:0 0 .5rem;white-space:pre-wrap}
del{background:#ffebe9;color:#82071e}
ins{background:#dafbe1;color:#0a3622;text-decoration:none}
@media (prefers-color-scheme:dark){section.added{border-inline-start-color:#3fb950}section.removed{border-inline-start-color:#f85149}del{background:#5c1a1b;color:#ffd7d5}ins{background:#10401f;color:#aff5b4}}
`

/** Takes the room of a text, and returns whether there was enough. */
type TakeRoom = (bytes: number) => boolean

/** Without their texts, a changed item and a changed field. */
const [bytesPerItem, bytesPerField] = [400, 150]
/** `<del></del>` */
const bytesPerPart = 11

/**
 * Render a comparison as one HTML page, which loads nothing and has no scripts. `name` is that of the newer
 * version. Values that take too much work or room become a mark, and further items are left out.
 */
export function renderComparison(name: string, { base, version, fields, items }: Comparison): string {
  let bytesLeft = maxWrittenBytes
  // A byte takes about 10 ns.
  const take: TakeRoom = (bytes) => {
    if (bytes > bytesLeft || !canSpend(bytes)) return false
    spend(bytes)
    bytesLeft -= bytes
    return true
  }
  const shownItems = items.filter(({ id, label }) =>
    take(bytesPerItem + countWrittenBytes(id) + countWrittenBytes(label)),
  )
  const isCut = shownItems.length < items.length
  const title = `${name}: changes from version ${base} to version ${version}`
  const hasChanges = fields.length > 0 || items.length > 0
  const body = html`<h1 dir="auto">${title}</h1>
${fields.length > 0 && html`<h2>Fields</h2>\n${renderFields(fields, take)}`}${items.length > 0 && html`<h2>Parts</h2>\n${shownItems.map((item) => renderItem(item, take))}`}${isCut && html`<p>${shortenedMark}</p>\n`}${!hasChanges && html`<p>The versions have the same content.</p>\n`}`
  return writeHtmlPage({ title, stylesheet, body })
}

function renderItem(item: ItemChange, take: TakeRoom): Html {
  const { list, id, label, change, fields } = item
  return html`<section class="item ${change}">
<h3 dir="auto">${label || id} <span class="badge">${`${list} ${id}, ${describeChange(item)}`}</span></h3>
${fields.length > 0 && renderFields(fields, take)}</section>
`
}

function describeChange({
  change,
  moved,
  fields,
  position_before: from,
  position_after: to,
}: ItemChange): string {
  if (!moved) return change
  const describe = (position: ItemChange['position_before']) =>
    `${position?.parent_id ? `below ${position.parent_id}, ` : ''}place ${(position?.index ?? 0) + 1}`
  return `${fields.length > 0 ? 'changed and ' : ''}moved from ${describe(from)} to ${describe(to)}`
}

function renderFields(fields: readonly FieldChange[], take: TakeRoom): Html {
  return html`<dl>\n${fields.map((field) => renderField(field, take))}</dl>\n`
}

function renderField({ field, before, after, parts: allParts }: FieldChange, take: TakeRoom): Html {
  const hasRoom = take(
    bytesPerField +
      (allParts ?? []).reduce((sum, { text }) => sum + bytesPerPart + countWrittenBytes(text), 0),
  )
  const parts: FieldChange['parts'] = hasRoom ? allParts : [{ op: 'equal', text: shortenedMark }]
  const write = (value: unknown) => writeValue(value, take)
  const values = parts
    ? []
    : [isSet(before) && html`<del>${write(before)}</del>`, isSet(after) && html`<ins>${write(after)}</ins>`]
  const content = parts
    ? parts.map(renderPart)
    : html`${values[0]}${values[0] && values[1] && ' '}${values[1]}`
  return html`<dt>${field.replaceAll('_', ' ')}</dt>\n<dd dir="auto">${content}</dd>\n`
}

function renderPart({ op, text }: TextPart): Html | string {
  switch (op) {
    case 'equal':
      return text
    case 'insert':
      return html`<ins>${text}</ins>`
    case 'delete':
      return html`<del>${text}</del>`
  }
}

const isSet = (value: unknown) => value !== null && value !== undefined

function writeValue(value: unknown, take: TakeRoom): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const bytes = countWrittenBytes(text)
  if (typeof value === 'object' && take(bytes + countIndentation(text))) return JSON.stringify(value, null, 2)
  return typeof value !== 'object' && take(bytes) ? text : shortenedMark
}
