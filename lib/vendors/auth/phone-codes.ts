import { sha256Bytea } from './hash.ts'

/** Create a code of six digits, each as likely as the others. */
export function createPhoneCode(): string {
  const [number = 0] = crypto.getRandomValues(new Uint32Array(1))
  // The remainder favours the lowest numbers by less than 1 in 4,000.
  return String(number % 1_000_000).padStart(6, '0')
}

/** Hash a code of a user. It is short, so its few minutes and attempts protect it, not the hash. */
export function hashPhoneCode(userId: string, code: string): Promise<string> {
  return sha256Bytea(`phone:${userId}:${code}`)
}
