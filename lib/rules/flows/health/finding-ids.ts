import type { Finding } from './finding.ts'

/** A finding with an id that stays the same over versions until the step that it is about changes. */
export type IdentifiedFinding = Finding & { id: string }

/**
 * Add an id to each finding: a UUID of version 8 that contains a digest
 * (https://www.rfc-editor.org/rfc/rfc9562#section-5.8). Numbers are no part of it.
 */
export function identifyFindings(findings: readonly Finding[]): Promise<IdentifiedFinding[]> {
  return Promise.all(
    findings.map(async (finding) => {
      const { reason, step_id, option_id, url, subject } = finding
      return {
        id: await digestToUuid(JSON.stringify([reason, step_id, option_id, url, subject])),
        ...finding,
      }
    }),
  )
}

async function digestToUuid(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  const hex = Array.from(digest.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-8$3-8$4-$5')
}

/** Sort out the findings that somebody has said are not for this flow. */
export function splitDismissed<F extends { id: string }>(
  findings: readonly F[],
  dismissedIds: readonly string[],
): { open: F[]; dismissed: F[] } {
  const ids = new Set(dismissedIds)
  return {
    open: findings.filter(({ id }) => !ids.has(id)),
    dismissed: findings.filter(({ id }) => ids.has(id)),
  }
}
