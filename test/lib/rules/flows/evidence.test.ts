import { describe, expect, it } from 'vitest'
import {
  type EvidenceRequirement,
  findEvidenceMismatches,
  toProvidedEvidence,
} from '#rules/flows/evidence.ts'

describe('findEvidenceMismatches', () => {
  const id = '0198c0de-0000-7000-8000-000000000000'
  const requirements: Record<string, EvidenceRequirement> = {
    text: { key: 'k', type: 'text', label: 'K' },
    number: { key: 'k', type: 'number', label: 'K' },
    boolean: { key: 'k', type: 'boolean', label: 'K' },
    select: { key: 'k', type: 'select', label: 'K', options: ['a', 'b'] },
    screenshot: { key: 'k', type: 'screenshot', label: 'K' },
  }

  it.each<[string, string | number | boolean, string | null]>([
    ['text', 'x'.repeat(2000), null],
    ['text', 'x'.repeat(2001), 'must be a text of 1 to 2000 characters'],
    ['text', ' ', 'must be a text of 1 to 2000 characters'],
    ['text', 1, 'must be a text of 1 to 2000 characters'],
    ['number', 0, null],
    ['number', '0', 'must be a number'],
    ['boolean', false, null],
    ['boolean', 0, 'must be true or false'],
    ['select', 'b', null],
    ['select', 'c', 'must be one of the options'],
    ['screenshot', id, null],
    ['screenshot', 'x', 'must be the id of an upload'],
  ])('checks that a %s may be %j', (type, value, message) => {
    const mismatches = findEvidenceMismatches([requirements[type] as EvidenceRequirement], {
      evidence: { k: value },
    })
    expect(mismatches).toEqual(
      message === null ? [] : [{ field: 'evidence', key: 'k', message, isMissing: false }],
    )
  })

  it('returns what is missing and what is not required', () => {
    const note: EvidenceRequirement = { key: 'n', type: 'note', label: 'N' }
    const missing = { message: 'is required by this step', isMissing: true }
    const unknown = { message: 'must be a key that this step requires', isMissing: false }
    expect(findEvidenceMismatches([note, requirements.text as EvidenceRequirement], { note: ' ' })).toEqual([
      { field: 'note', key: null, ...missing },
      { field: 'evidence', key: 'k', ...missing },
    ])
    expect(findEvidenceMismatches([note], { note: 'x', evidence: { n: 'x' } })).toEqual([
      { field: 'evidence', key: 'n', ...unknown },
    ])
  })

  it('accepts what toProvidedEvidence stores', () => {
    const all = [
      { key: 'n', type: 'note', label: 'N' },
      { ...requirements.screenshot, key: 's' },
      requirements.number,
    ] as EvidenceRequirement[]
    expect(toProvidedEvidence(all, { k: 0, s: id, n: 'x' })).toEqual([
      { key: 's', type: 'screenshot', label: 'K', value: null, upload_id: id },
      { key: 'k', type: 'number', label: 'K', value: 0, upload_id: null },
    ])
    expect(toProvidedEvidence(all)).toEqual([])
  })
})
