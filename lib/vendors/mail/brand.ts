import { darkenForWhite, formatHexColour, lightenForDark, parseHexColour } from '#rules/text/colour.ts'

/** Whose e-mail it is. */
export interface Brand {
  /** The account's name; null for e-mails of the service itself. */
  accountName: string | null
  /** `#rrggbb`; null for the colour of the service. */
  colour: string | null
}

/**
 * E-mails about the own sign-in and those to the platform show no account: anybody could name theirs like a
 * bank.
 */
export const serviceBrand: Brand = { accountName: null, colour: null }
export const serviceName = 'Support Flow'

export const lightBackground = '#ffffff'
export const darkBackground = '#111827'
const defaultColour = '#1d4ed8'

/**
 * Return a colour that can be read on white and one that can be read in dark mode, with a contrast of at
 * least 4.5.
 */
export function toReadableColours(colour: string | null): { light: string; dark: string } {
  const rgb = parseHexColour(colour ?? defaultColour)
  return {
    light: formatHexColour(darkenForWhite(rgb)),
    dark: formatHexColour(lightenForDark(rgb, parseHexColour(darkBackground))),
  }
}
