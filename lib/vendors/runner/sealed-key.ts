import type { Language } from '#rules/scripts/schema.ts'
import type { Vault } from '#vendors/auth/vault.ts'
import type { RunnerProvider } from './runner.ts'

const toContext = (accountId: string, provider: RunnerProvider) => `runner:${accountId}:${provider}`

/** Encrypt the key of a runner for storage. It can be decrypted only for the same account and provider. */
export function sealRunnerKey(
  vault: Vault,
  accountId: string,
  provider: RunnerProvider,
  apiKey: string,
): Promise<string> {
  return vault.seal(apiKey, toContext(accountId, provider))
}

/** Decrypt the key of a runner. Use it for one request only, and never log it. */
export function openRunnerKey(
  vault: Vault,
  accountId: string,
  provider: RunnerProvider,
  sealed: string,
): Promise<string> {
  return vault.open(sealed, toContext(accountId, provider))
}

/** What a run needs: the rendered script, and texts to hide in its output. */
export interface RunPayload {
  script: string
  language: Language
  secrets: readonly string[]
}

const toRunContext = (accountId: string, runId: string) => `runner-run:${accountId}:${runId}`

/** Encrypt the payload of a run for storage. It can be decrypted only for the same run. */
export function sealRunPayload(
  vault: Vault,
  accountId: string,
  runId: string,
  payload: RunPayload,
): Promise<string> {
  return vault.seal(JSON.stringify(payload), toRunContext(accountId, runId))
}

/** Decrypt the payload of a run. Use it for one attempt only, and never log it. */
export async function openRunPayload(
  vault: Vault,
  accountId: string,
  runId: string,
  sealed: string,
): Promise<RunPayload> {
  return JSON.parse(await vault.open(sealed, toRunContext(accountId, runId))) as RunPayload
}
