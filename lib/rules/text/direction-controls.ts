// Embeddings, overrides and isolates: https://www.unicode.org/reports/tr9/#Directional_Formatting_Characters
// With them a script shows other commands than it runs: https://trojansource.codes/
const directionControls = /[\u202a-\u202e\u2066-\u2069]/g

/** Replace the characters that change the direction of a text with their code points, such as `<U+202E>`. */
export function showDirectionControls(text: string): string {
  return text.replace(
    directionControls,
    (control) => `<U+${control.charCodeAt(0).toString(16).toUpperCase()}>`,
  )
}

/** Return the position of the first such character, or -1. */
export function findDirectionControl(text: string): number {
  return text.search(directionControls)
}
