/** The range of exit codes: Windows reports unsigned numbers of 32 bits, such as 0xC000013A, others signed ones. */
export const minExitCode = -2_147_483_648
export const maxExitCode = 4_294_967_295

/** Return an exit code as a signed number of 32 bits, or null for a number that is none. */
export function toExitCode(code: number | null): number | null {
  return code !== null && Number.isInteger(code) && code >= minExitCode && code <= maxExitCode
    ? code | 0
    : null
}
