import { countLoss, type Losses, losePicture } from './losses.ts'
import { skipCode } from './markdown-references.ts'

// A call-out has no markdown of its own, so each generator of pages has invented one. It becomes a quote with
// its name in bold. The patterns read lines without white space at their ends.

interface CallOut {
  indent: string
  /** Whether a mark ends it, or the first line that is less indented. */
  isMarked: boolean
}

const kinds =
  'note|notes|info|information|tip|hint|warning|warn|caution|danger|important|attention|error|success|question|abstract|summary|example|quote|bug|failure|todo|alert|notice|admonition'
/** GitHub, GitLab, Obsidian, Microsoft: `> [!warning] Title`. */
const quoted = new RegExp(`^([ \\t>]*>\\s*)\\[!(${kinds})(?:\\|[^\\]]*)?\\][+-]?(.*)$`, 'i')
/** Docusaurus, Outline, HackMD, MyST, VitePress: `:::info Title` up to `:::`. */
const fenced = new RegExp(`^([ \\t]*):{3,}\\s*\\{?(${kinds})\\}?(?:\\[([^\\]]*)\\]|\\s+(\\S.*))?$`, 'i')
/** MkDocs: `!!! note "Title"` with an indented text. */
const indented = new RegExp(`^([ \\t]*)(?:!!!|\\?\\?\\?\\+?)\\s+(${kinds})\\b[^"]*(?:"([^"]*)")?$`, 'i')
/** GitBook and Hugo: `{% hint style="info" %}`, `{{% notice note %}}`. */
const templated = new RegExp(
  `^([ \\t]*)\\{\\{?[%<]\\s*(?:hint|notice|alert|callout)\\b(?=[^%>]*[%>]\\}\\}?$)[^%>]*?\\b(${kinds})\\b`,
  'i',
)
const fenceEnd = /^[ \t]*(?::{3,}|\{\{?[%<]\s*(?:end|\/\s*)(?:hint|notice|alert|callout)\s*[%>]\}\}?)$/
/** Microsoft writes zones, columns and pictures in the same way: `:::image source="x.png" alt-text="…":::`. */
const directive =
  /^[ \t]*:{3,}\s*(image|code|video|row|row-end|column|column-end|zone|zone-end|moniker|moniker-end)\b(.*?)(?::{3})?$/i

/** Return the text with its call-outs as quotes. Code is unchanged. */
export function replaceCallOuts(text: string, losses: Losses): string {
  if (!/:::|\[!|!!!|\?\?\?|\{[{%]/.test(text)) return text
  const open: CallOut[] = []
  const lines = text.split('\n')
  const isCode = lines.map(skipCode(() => false, true))
  return lines
    .flatMap((line, index) => {
      const isBlank = line.trim() === ''
      while (
        open.length > 0 &&
        !open.at(-1)?.isMarked &&
        !isBlank &&
        !line.startsWith(`${open.at(-1)?.indent}    `) &&
        !line.startsWith(`${open.at(-1)?.indent}\t`)
      )
        open.pop()
      const around = open.at(-1)
      const quote = (content: string) => {
        if (!around) return content
        const own = around.isMarked
          ? around.indent.length
          : around.indent.length + (content.startsWith(`${around.indent}\t`) ? 1 : 4)
        return `${around.indent}> ${/^\s*/.exec(content.slice(0, own))?.[0] === content.slice(0, own) ? content.slice(own) : content.trimStart()}`.trimEnd()
      }
      const mark = line.trimEnd()
      if (isCode[index] || mark.length > maxMarkLength) return quote(line)
      const start = fenced.exec(mark) ?? templated.exec(mark) ?? indented.exec(mark)
      if (start && open.length < maxDepth) {
        const [, indent = '', kind = '', title, rest] = start
        const outer = around?.indent ?? indent
        open.push({ indent: outer, isMarked: !indented.test(mark) })
        return [...(around ? [`${outer}>`] : ['']), `${outer}> ${label(kind, title || rest)}`, `${outer}>`]
      }
      if (around?.isMarked && fenceEnd.test(mark)) {
        open.pop()
        return ''
      }
      const [, prefix = '', kind = '', title] = quoted.exec(mark) ?? []
      if (kind !== '') return [`${prefix}${label(kind, title)}`, prefix.trimEnd()]
      const [, name = '', rest = ''] = directive.exec(mark) ?? []
      if (name !== '') return readDirective(name.toLowerCase(), rest, losses).map(quote)
      return fenceEnd.test(mark) && !isBlank ? [] : quote(line)
    })
    .join('\n')
}

const maxDepth = 5
/** A longer line is a text, not the mark of a call-out. */
const maxMarkLength = 500

const label = (kind: string, title = '') =>
  `**${title.trim() || `${kind[0]?.toUpperCase()}${kind.slice(1).toLowerCase()}`}**`

function readDirective(name: string, attributes: string, losses: Losses): string[] {
  // Bounded: a value ends at the next quotation mark.
  const read = (key: string) => new RegExp(`\\b${key}="([^"]*)"`, 'i').exec(attributes)?.[1] ?? ''
  if (name === 'image')
    return [losePicture(losses, read('alt-text') || read('source').split('/').at(-1) || '')]
  if (name === 'code' || name === 'video') countLoss(losses, 'document')
  return []
}
