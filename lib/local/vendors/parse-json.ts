/** Parse a request body as JSON, or return the text itself when it is not JSON. */
export function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
