/**
 * Characters that show nothing: Default_Ignorable_Code_Point of the Unicode Character Database, control
 * characters without a width, and the marks of ruby texts.
 */
const invisible = '(?:[\\p{DI}\\ufff9-\\ufffb]|[^\\P{Cc}\\t\\n\\r])'
const invisibleCharacter = new RegExp(invisible, 'u')
/** Cased letters, digits and signs. Other scripts, and emoji, need joiners and variation selectors. */
const visible = '[!-~\\p{Lu}\\p{Ll}\\p{N}]'
const space = '[ \\t\\r\\n\\u00a0]'
/** A run is looked at once, from its start, so the time is linear. */
const invisibleRun = new RegExp(
  `(?<=${visible})${invisible}+(?=${visible}|${space}|$)|(?<=${space}|^)${invisible}+(?=${visible})`,
  'gu',
)

/** Remove the characters that would hide an address, a secret or the name of one from the masking rules. */
export function removeHidingCharacters(text: string): string {
  return invisibleCharacter.test(text) ? text.replace(invisibleRun, '') : text
}
