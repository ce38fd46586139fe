import { sha256Bytea } from './hash.ts'

const count = 10
const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'

/** Create 10 codes of 80 bits, such as `abcd-efgh-ijkl-mnop`. */
export function createRecoveryCodes(): string[] {
  return Array.from({ length: count }, createRecoveryCode)
}

function createRecoveryCode(): string {
  const letters = Array.from(
    crypto.getRandomValues(new Uint8Array(16)),
    (byte) => alphabet[byte % alphabet.length],
  ).join('')
  return letters.replace(/(.{4})(?=.)/g, '$1-')
}

/** Hash a code as it was typed: letter case, spaces and hyphens do not count. */
export function hashRecoveryCode(code: string): Promise<string> {
  return sha256Bytea(code.toLowerCase().replace(/[\s-]/g, ''))
}
