/** Red, green and blue, each from 0 to 1. */
export type Rgb = readonly [number, number, number]

/**
 * Text needs 4.5 to be read: https://www.w3.org/TR/WCAG22/#contrast-minimum. The rest allows for rounded
 * numbers in the PDF.
 */
const minContrast = 4.6

export function parseHexColour(hex: string): Rgb {
  const parseChannel = (start: number) => Number.parseInt(hex.slice(start, start + 2), 16) / 255
  return [parseChannel(1), parseChannel(3), parseChannel(5)]
}

/** Darken a colour until it can be read on white. Its hue stays. */
export function darkenForWhite(colour: Rgb): Rgb {
  let [red, green, blue] = colour
  while (getContrastWithWhite([red, green, blue]) < minContrast)
    [red, green, blue] = [red * 0.97, green * 0.97, blue * 0.97]
  return [red, green, blue]
}

/** Lighten a colour until it can be read on a dark background. Its hue stays. */
export function lightenForDark(colour: Rgb, background: Rgb): Rgb {
  let [red, green, blue] = colour
  const lighten = (channel: number) => channel + (1 - channel) * 0.03
  while (getContrast([red, green, blue], background) < minContrast)
    [red, green, blue] = [lighten(red), lighten(green), lighten(blue)]
  return [red, green, blue]
}

/** Return the contrast ratio of two colours: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
export function getContrast(first: Rgb, second: Rgb): number {
  const [darker = 0, lighter = 0] = [getLuminance(first), getLuminance(second)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

export function getContrastWithWhite(colour: Rgb): number {
  return getContrast(colour, [1, 1, 1])
}

export function formatHexColour(colour: Rgb): string {
  const toHex = (channel: number) =>
    Math.round(channel * 255)
      .toString(16)
      .padStart(2, '0')
  return `#${colour.map(toHex).join('')}`
}

function getLuminance([red, green, blue]: Rgb): number {
  return 0.2126 * toLinear(red) + 0.7152 * toLinear(green) + 0.0722 * toLinear(blue)
}

function toLinear(channel: number): number {
  return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
}
