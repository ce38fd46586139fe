import { expect, it } from 'vitest'
import { mask } from '#test/support/with-budget.ts'
import { foreignHeldOutOrdinary, foreignHeldOutSecrets } from './mask-foreign-held-out.ts'
import { foreignSecretLines } from './mask-foreign-lines.ts'
import { foreignOrdinaryLines } from './mask-foreign-ordinary.ts'
import type { SecretLine } from './mask-lines.ts'

/**
 * What must not remain of a secret: each word of three characters or more, and each part of six characters.
 */
function listFragments(secret: string): string[] {
  const words = secret.split(/\s+/).filter((word) => word.length >= 3)
  return words.flatMap((word) => [
    word,
    ...Array.from({ length: Math.max(0, word.length - 5) }, (_, start) => word.slice(start, start + 6)),
  ])
}

/** A fragment that is also elsewhere in the line, as `pass` is in `sshpass`, says nothing. */
function isLeaked({ line, secretParts }: SecretLine): boolean {
  const context = secretParts.reduce((rest, part) => rest.replace(part, ' '), line)
  const masked = mask(line)
  return secretParts
    .flatMap(listFragments)
    .some((fragment) => !context.includes(fragment) && masked.includes(fragment))
}

const formatShare = (part: number, all: number) => `${part} of ${all} (${((part * 100) / all).toFixed(2)} %)`

/** The rates of the second list are those of its first measurement, to which no rule was fitted. */
const kinds = [
  {
    kind: 'lines that rules were extended for',
    secrets: foreignSecretLines,
    ordinary: foreignOrdinaryLines,
    least: 0.995,
    most: 0.003,
  },
  {
    kind: 'later lines that no rule was extended for',
    secrets: foreignHeldOutSecrets,
    ordinary: foreignHeldOutOrdinary,
    least: 0.92,
    most: 0.08,
  },
]

it.each(kinds)(
  'SES-41 masks the secrets of seven languages completely, in $kind',
  ({ kind, secrets, ordinary, least, most }) => {
    const leaks = secrets.filter(isLeaked)
    const changes = ordinary.filter((line) => mask(line) !== line)
    console.info(`masking: ${kind}: masked ${formatShare(secrets.length - leaks.length, secrets.length)}`)
    console.info(`masking: ${kind}: ordinary lines changed ${formatShare(changes.length, ordinary.length)}`)
    expect(secrets.filter(({ secretParts }) => secretParts.length === 0)).toEqual([])
    expect(1 - leaks.length / secrets.length).toBeGreaterThanOrEqual(least)
    expect(changes.length / ordinary.length).toBeLessThanOrEqual(most)
  },
)
