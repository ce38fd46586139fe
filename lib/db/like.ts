/** A LIKE pattern for what contains `text`, whose own wildcards stand for themselves. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}
