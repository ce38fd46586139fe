/** Reasons that several languages share. Each follows the name of the placeholder in a sentence. */
export const insideQuotes = 'is inside a quoted string; remove the quotes, because the value gets its own'
export const insideComment = 'is inside a comment'
export const joinedToTextBefore = 'is joined to the text before it, which would change its meaning'
export const joinedToTextAfter = 'is joined to the text after it, which would become part of it'
export const inCommandPosition = 'is in the place of a command; its value would be executed'
