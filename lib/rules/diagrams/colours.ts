/** Red, green and blue, each from 0 to 255. */
type Rgb = readonly [number, number, number]

const hexByName: Record<string, string> = {
  black: '#000000',
  white: '#ffffff',
  red: '#ff0000',
  green: '#008000',
  blue: '#0000ff',
  orange: '#ffa500',
  purple: '#800080',
  gray: '#808080',
  grey: '#808080',
  yellow: '#ffff00',
  brown: '#a52a2a',
  teal: '#008080',
  navy: '#000080',
  maroon: '#800000',
  olive: '#808000',
  silver: '#c0c0c0',
  transparent: '#ffffff00',
}

/**
 * Return a colour that is safe in SVG: one of some names or a hexadecimal one, in lower case. Return
 * undefined for anything else.
 */
export function parseColour(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const colour = value.trim().toLowerCase()
  const isHex = /^#([0-9a-f]{3}|[0-9a-f]{4}|[0-9a-f]{6}|[0-9a-f]{8})$/.test(colour)
  return isHex || Object.hasOwn(hexByName, colour) ? colour : undefined
}

/**
 * Return the first colour whose contrast with the background is high enough, otherwise black or white. Both
 * are on a white sheet.
 */
export function chooseReadableColour(
  candidates: readonly string[],
  background: string,
  minContrast: number,
): string {
  const backgroundLuminance = computeLuminance(flatten(background))
  const hasContrast = (colour: string) =>
    computeContrast(computeLuminance(flatten(colour, flatten(background))), backgroundLuminance) >=
    minContrast
  // Black or white has a contrast of at least 4.5 with every colour.
  return [...candidates, '#ffffff'].find(hasContrast) ?? '#000000'
}

/** Blend a colour with what is behind it, which is white by default. */
function flatten(colour: string, behind: Rgb = [255, 255, 255]): Rgb {
  const digits = (hexByName[colour] ?? colour).slice(1)
  const pairs = digits.length <= 4 ? [...digits].map((digit) => digit + digit) : (digits.match(/../g) ?? [])
  const [red = 0, green = 0, blue = 0, alpha = 255] = pairs.map((pair) => Number.parseInt(pair, 16))
  const blend = (value: number, other: number) => (value * alpha + other * (255 - alpha)) / 255
  return [blend(red, behind[0]), blend(green, behind[1]), blend(blue, behind[2])]
}

/** Compute the relative luminance, https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function computeLuminance(colour: Rgb): number {
  const [red = 0, green = 0, blue = 0] = colour.map((value) => {
    const share = value / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Compute the contrast ratio, https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
function computeContrast(a: number, b: number): number {
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}
