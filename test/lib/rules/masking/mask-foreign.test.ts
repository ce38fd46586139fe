import { expect, it } from 'vitest'
import { mask } from '#test/support/with-budget.ts'
import { foreignSecretLines } from './mask-foreign-lines.ts'
import { foreignOrdinaryLines } from './mask-foreign-ordinary.ts'
import type { SecretLine } from './mask-lines.ts'

/** What must not remain of a secret: each word of three characters or more, and each part of six characters. */
function listFragments(secret: string): string[] {
  const words = secret.split(/\s+/).filter((word) => word.length >= 3)
  return words.flatMap((word) => [
    word,
    ...Array.from({ length: Math.max(0, word.length - 5) }, (_, start) => word.slice(start, start + 6)),
  ])
}

const isLeaked = ({ line, secretParts }: SecretLine) => secretParts.flatMap(listFragments).some((fragment) => mask(line).includes(fragment))

const formatShare = (part: number, all: number) => `${part} of ${all} (${((part * 100) / all).toFixed(2)} %)`

it('SES-41 reports the rates on lines of seven languages that no rule was written for', () => {
  const leaks = foreignSecretLines.filter(isLeaked)
  const changed = foreignOrdinaryLines.filter((line) => mask(line) !== line)
  console.info(`masking: foreign lines masked ${formatShare(foreignSecretLines.length - leaks.length, foreignSecretLines.length)}`)
  console.info(`masking: foreign ordinary lines changed ${formatShare(changed.length, foreignOrdinaryLines.length)}`)
  expect(foreignSecretLines.filter(({ secretParts }) => secretParts.length === 0)).toEqual([])
  expect(new Set([...foreignSecretLines.map(({ line }) => line), ...foreignOrdinaryLines]).size).toBeGreaterThanOrEqual(300)
})
