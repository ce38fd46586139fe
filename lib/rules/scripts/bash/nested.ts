import { shells } from './rules.ts'
import { type Command, getCommandName, getStaticText, type Word } from './syntax.ts'

/**
 * Return the texts that a command executes in its shell or in another one. `executed` are its words and those
 * of the commands in it.
 */
export function findExecutedTexts(
  { redirections }: Command,
  executed: readonly (readonly Word[])[],
): string[] {
  return executed.flatMap(([first, ...args]) => {
    const name = getCommandName(first) ?? ''
    if (name === 'eval') return [args.map(readApproximately).join(' ')]
    if (name === 'trap')
      return args
        .filter((arg) => getStaticText(arg) !== '--')
        .slice(0, 1)
        .map(readApproximately)
    if (!shells.has(name)) return []
    const option = args.findIndex((arg) => /^-[a-z]*c$/.test(getStaticText(arg) ?? ''))
    const texts = option < 0 ? [] : args.slice(option + 1, option + 2)
    const inputs = redirections.filter(({ operator }) => operator.startsWith('<<')).map(({ word }) => word)
    return [...texts, ...inputs].map(readApproximately)
  })
}

/**
 * Return a text with a name for each part that is not known. It is refused elsewhere if such a part may be
 * text.
 */
function readApproximately({ parts }: Word): string {
  return parts.map((part) => (part.kind === 'text' && part.isLiteral ? part.text : '_')).join('')
}
