import { findTextAnswers } from '#rules/flows/secret-answers.ts'
import type { Vault } from './vault.ts'

// Encrypts the secret answers of a session. Each is bound to its session and field, so it cannot be opened in
// the place of another.

const vaultContext = (sessionId: string, key: string) => `session:${sessionId}:${key}`

/** Encrypt secret answers by key. An answer without text is left out. */
export async function sealAnswers(
  vault: Vault,
  sessionId: string,
  secrets: Readonly<Record<string, unknown>>,
): Promise<Record<string, string>> {
  const answers = Object.entries(findTextAnswers(secrets))
  return Object.fromEntries(
    await Promise.all(
      answers.map(
        async ([key, answer]) => [key, await vault.seal(answer, vaultContext(sessionId, key))] as const,
      ),
    ),
  )
}

/** Decrypt secret answers by key. Use them for one request only, and never log them. */
export async function openAnswers(
  vault: Vault,
  sessionId: string,
  sealed: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  return Object.fromEntries(
    await Promise.all(
      Object.entries(sealed).map(
        async ([key, text]) => [key, await vault.open(text, vaultContext(sessionId, key))] as const,
      ),
    ),
  )
}
