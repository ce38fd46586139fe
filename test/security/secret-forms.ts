import { toMarkdown } from '#rules/markup/markdown.ts'
import { parseMarkdown } from '#rules/markup/parse-blocks.ts'

// Secrets in forms of markup that a rule for plain texts does not see, and a reader that finds them in
// whatever leaves.

/** The value that must not be seen, and a label for it. */
const password = 'Zx7!qaWinter'
const address = '10.77.66.55'
const mail = 'maya@zx7.example'
const server = 'srv-zx7'

/** The same secrets as plain text, with emphasis, references, escapes, and a label that is apart from its value. */
export const secretForms = [
  `Password: ${password} ${address}`,
  `**Password**: Zx7!**qa**Winter 10.77.**66**.55`,
  `Password&#58; ${password} 10&period;77&#46;66&#x2e;55`,
  `Password\\: ${password} \\\\${server}\\finance maya\\@zx7.example`,
  `## Password\n\n${password}\n\n- \\\\${server}\\c$\n  - ${address}`,
] as const

/** What of the forms a reader may not see: people without an account may see addresses. */
export const secretsOf = {
  colleagues: [password, address, mail, server],
  public: [password],
} as const

/** Something of each secret that no form takes apart. */
const partOfSecret = /zx7|77/i

/** Return the secrets that a reader of a value sees in its texts, as they are and as markdown shows them. */
export function findSecrets(value: unknown, secrets: readonly string[]): string[] {
  const texts: string[] = []
  const collect = (part: unknown): void => {
    if (typeof part === 'string') texts.push(part)
    else if (typeof part === 'object' && part !== null) Object.values(part).forEach(collect)
  }
  collect(value)
  // Only a text with a part of a secret is worth parsing.
  const views = texts.filter((text) => partOfSecret.test(text)).flatMap((text) => [text, ...listShown(text)])
  return secrets.filter((secret) => views.some((view) => view.includes(secret)))
}

/** Return what is shown of a text that is HTML or markdown. Both have the same references. */
function listShown(text: string): string[] {
  const plain = /^\s*<(?:!doctype|html)/i.test(text) ? text.replace(/<[^>]*>/g, ' ') : text
  const shown: string[] = [plain]
  const collect = (part: unknown): void => {
    if (Array.isArray(part) && part.every((span) => typeof span?.text === 'string'))
      shown.push(part.map((span: { text: string }) => span.text).join(''))
    if (typeof part === 'object' && part !== null) Object.values(part).forEach(collect)
    else if (typeof part === 'string') shown.push(part)
  }
  collect(parseMarkdown(toMarkdown(plain)))
  return shown
}
