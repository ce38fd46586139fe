import { type Block, createWriter } from './blocks.ts'

const item = /^ {0,3}(?:[-*•–]|\(?\d{1,3}[.)]|step \d{1,3}[:.)]?)\s+\S/i
const underline = /^(?:={3,}|-{3,})\s*$/

/** The blocks of a text without markup: parted by empty lines, by numbered or bulleted lines, by underlined ones. */
export function readPlain(text: string): Block[] {
  const writer = createWriter()
  const lines = text.split('\n')
  let kind: 'item' | 'text' = 'text'
  let open: string[] = []
  const end = () => {
    writer.add(kind, open.join('\n').trimEnd())
    kind = 'text'
    open = []
  }
  for (let n = 0; n < lines.length; n++) {
    const line = lines[n] ?? ''
    if (line.trim() && open.length === 0 && underline.test(lines[n + 1] ?? '')) {
      writer.add('heading', line.trim(), (lines[++n] ?? '').startsWith('=') ? 1 : 2)
      continue
    }
    // What is indented below an item goes on with it, also past an empty line.
    const goesOn = kind === 'item' && /^\s{2,}\S/.test(lines[n + 1] ?? '')
    if (!line.trim() && !goesOn) end()
    if (item.test(line)) {
      end()
      kind = 'item'
    }
    if (line.trim() || open.length > 0) open.push(line)
  }
  end()
  return writer.blocks
}
