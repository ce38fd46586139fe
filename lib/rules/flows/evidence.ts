import * as z from 'zod'
import { Uuid } from '#rules/uuid.ts'
import { Key } from './key.ts'

// What a step requires before its answer counts: a note, a screenshot or a value.

const maxTextLength = 2000
const valueTypes = ['text', 'number', 'boolean', 'select'] as const

export const EvidenceRequirement = z
  .strictObject({
    key: Key.describe('Unique in the step. An answer provides the evidence by this key.'),
    type: z
      .enum(['note', 'screenshot', ...valueTypes])
      .meta({ id: 'EvidenceType' })
      .describe(
        '`note`: the note of the answer. `screenshot`: an upload. Any other type: a value. `select`: one of `options`.',
      ),
    label: z.string().trim().min(1).max(200).describe('What to provide.'),
    options: z
      .array(z.string().trim().min(1).max(200))
      .max(100)
      .nullish()
      .describe('The options of a `select`.'),
  })
  .meta({ id: 'EvidenceRequirement', examples: [{ key: 'serial', type: 'text', label: 'Serial number' }] })
export type EvidenceRequirement = z.infer<typeof EvidenceRequirement>

export const EvidenceRequirements = z
  .array(EvidenceRequirement)
  .max(10)
  .nullish()
  .describe('What every answer to this step must provide, also `skipped` and `failed`.')

/** The values of an answer by key. The value of a screenshot is the id of an upload. */
export type EvidenceValues = Readonly<Record<string, string | number | boolean>>

/** Evidence as it was provided with an answer. */
export interface ProvidedEvidence {
  key: string
  type: Exclude<EvidenceRequirement['type'], 'note'>
  /** The label of the requirement at that time. */
  label: string
  /** Null for a screenshot. */
  value: string | number | boolean | null
  upload_id: string | null
}

/** An invalid part of an answer. `message` completes the sentence "<field> …". */
export interface EvidenceMismatch {
  field: 'note' | 'evidence'
  /** The key in `evidence`; null for the note. */
  key: string | null
  message: string
  isMissing: boolean
}

type AnswerEvidence = { note?: string | null | undefined; evidence?: EvidenceValues | undefined }

/** Return everything that an answer lacks, and what does not match the requirements of its step. */
export function findEvidenceMismatches(
  requirements: readonly EvidenceRequirement[],
  { note, evidence = {} }: AnswerEvidence,
): EvidenceMismatch[] {
  const mismatches = requirements.flatMap((requirement): EvidenceMismatch[] => {
    if (requirement.type === 'note')
      return note?.trim()
        ? []
        : [{ field: 'note', key: null, message: 'is required by this step', isMissing: true }]
    const { key } = requirement
    if (!Object.hasOwn(evidence, key))
      return [{ field: 'evidence', key, message: 'is required by this step', isMissing: true }]
    const message = checkValue(requirement, evidence[key])
    return message ? [{ field: 'evidence', key, message, isMissing: false }] : []
  })
  const knownKeys = new Set(requirements.filter(({ type }) => type !== 'note').map(({ key }) => key))
  const unknownKeys = Object.keys(evidence).filter((key) => !knownKeys.has(key))
  return [
    ...mismatches,
    ...unknownKeys.map((key) => ({
      field: 'evidence' as const,
      key,
      message: 'must be a key that this step requires',
      isMissing: false,
    })),
  ]
}

/** Return what is wrong with a value, or null. */
function checkValue({ type, options }: EvidenceRequirement, value: unknown): string | null {
  switch (type) {
    case 'number':
      return typeof value === 'number' ? null : 'must be a number'
    case 'boolean':
      return typeof value === 'boolean' ? null : 'must be true or false'
    case 'select':
      return options?.some((option) => option === value) ? null : 'must be one of the options'
    case 'screenshot':
      return Uuid.safeParse(value).success ? null : 'must be the id of an upload'
    default:
      return typeof value === 'string' && value.trim() !== '' && value.length <= maxTextLength
        ? null
        : `must be a text of 1 to ${maxTextLength} characters`
  }
}

/**
 * Return the evidence of a valid answer for storage, in the order of the requirements. The note is stored
 * with the answer.
 */
export function toProvidedEvidence(
  requirements: readonly EvidenceRequirement[],
  values: EvidenceValues = {},
): ProvidedEvidence[] {
  return requirements.flatMap(({ key, type, label }): ProvidedEvidence[] => {
    const value = values[key]
    if (type === 'note' || value === undefined) return []
    return type === 'screenshot'
      ? [{ key, type, label, value: null, upload_id: Uuid.parse(value) }]
      : [{ key, type, label, value, upload_id: null }]
  })
}

/** Return the requirements in normal form, or nothing if there are none. */
export function normaliseEvidence(
  requirements: readonly EvidenceRequirement[] | null | undefined,
  toSingleLine: (text: string) => string,
): { evidence?: EvidenceRequirement[] } {
  if (!requirements?.length) return {}
  return {
    evidence: requirements.map(({ key, type, label, options }) => ({
      key,
      type,
      label: toSingleLine(label),
      ...(options?.length ? { options: options.map(toSingleLine) } : {}),
    })),
  }
}
