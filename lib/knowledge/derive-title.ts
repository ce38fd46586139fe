const most = 120

/** What a text is called by its own words: its first sentence, without marks of lists, emphasis and links, at most 120 characters. */
export function titleOf(text: string): string {
  const line = text.split('\n').map(bare).find(Boolean) ?? ''
  const sentence = /^.{8,}?[.!?](?=\s)/u.exec(line)?.[0] ?? line
  if (sentence.length <= most) return sentence || 'Untitled'
  const cut = sentence.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')
  return `${cut.replace(/\s+\S*$/, '')}…`
}

/** A line of markdown as it reads; nothing of a fence, a rule or a table's underline. */
function bare(line: string): string {
  return line
    .replace(/^[\s>]*(?:`{3,}|~{3,}).*$/, '')
    .replace(/^[\s>]*(?:#{1,6}\s+|(?:[-*+•–]|\(?\d{1,3}[.)])\s+(?:\[[ x]\]\s+)?)/i, '')
    .replace(/!?\[([^\]]{0,500})\](?:\([^)\s]{0,2000}\)|\[[^\]]{0,200}\])/g, '$1')
    .replace(/(\*\*|__|`)(?=\S)(.{1,500}?)\1/g, '$2')
    .replace(/^[\s|:=_*-]+$/, '')
    .replace(/\s+/g, ' ')
    .trim()
}
