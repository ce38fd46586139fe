/**
 * Replace the comments of a style sheet with spaces. As in a browser, a comment without an end goes to the end
 * of the sheet.
 */
export function removeComments(sheet: string): string {
  const parts: string[] = []
  let at = 0
  for (let start = sheet.indexOf('/*'); start >= 0; start = sheet.indexOf('/*', at)) {
    parts.push(sheet.slice(at, start))
    const end = sheet.indexOf('*/', start + 2)
    if (end < 0) return parts.join(' ')
    at = end + 2
  }
  return [...parts, sheet.slice(at)].join(' ')
}
