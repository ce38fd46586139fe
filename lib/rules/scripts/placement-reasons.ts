/** Reasons that several languages share. Each follows the name of the placeholder in a sentence. */
export const insideQuotes = 'is inside a quoted string; remove the quotes, because the value gets its own'
/** The advice of `insideQuotes` would break a string that the value is only a part of. */
export const partOfQuotes = {
  bash: 'is a part of a quoted string; write value={{ … }} on a line before, and "$value" in the string',
  powershell:
    'is a part of a quoted string; write $value = {{ … }} on a line before, and $value in the string, in double quotes',
  python: 'is a part of a quoted string; write value = {{ … }} on a line before, and {value} in an f-string',
}
export const insideComment = 'is inside a comment'
export const joinedToTextBefore = 'is joined to the text before it, which would change its meaning'
export const joinedToTextAfter = 'is joined to the text after it, which would become part of it'
export const inCommandPosition = 'is in the place of a command; its value would be executed'
export const insideArithmetic = 'is inside arithmetic, which executes text; give the parameter the type int'
export const insideBackticks = 'is inside backticks; use $( … ) instead'
export const insideBraces = 'is inside the braces of a variable'
export const insideHereDocument = 'is inside a here-document'
export const usedAsCode =
  'reaches a place where its text is executed; use a fixed text there, or give the parameter the type int or choice'
export const needsFixedFormat = "stands in the place of printf's format; write printf '%s\\n' before it"
export const asPattern =
  'is a pattern, in which characters have another meaning; compare with -eq, or use [regex]::Escape'
export const afterText =
  'is among the words of a text, whose first word would be run as a command; put $value = {{ … }} on a line before, and the text in double quotes with $value'
export const afterExecutingOption = 'is the value of an option that executes it'
export const afterUnknownCommand =
  'is the argument of a command that the check does not know; write the name of the command'
export const afterUnknownCharacters =
  'is after # or --% in a place where the check cannot follow them; write a space before a comment'
