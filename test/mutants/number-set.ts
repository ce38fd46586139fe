/** Pack whole numbers from 0 into base64 of one bit each. */
export function packNumbers(numbers: ReadonlySet<number>): string {
  const bytes = new Uint8Array((Math.max(-1, ...numbers) >> 3) + 1)
  for (const number of numbers) bytes[number >> 3] = (bytes[number >> 3] ?? 0) | (1 << (number & 7))
  return Buffer.from(bytes).toString('base64')
}

/** Return whether packed numbers include one of `numbers`. */
export function includesSome(packed: string, numbers: readonly number[]): boolean {
  const bytes = Buffer.from(packed, 'base64')
  return numbers.some((number) => ((bytes[number >> 3] ?? 0) & (1 << (number & 7))) !== 0)
}
