import * as z from 'zod'
import { emailPattern, normaliseEmail } from '#rules/text/email-address.ts'
import { isHostname, normaliseHostname } from '#rules/text/hostname.ts'
import { compilePattern, maxPatternTextLength } from '#rules/text/pattern.ts'
import type { IntakeField } from './structure.ts'

/** Answers by the key of their field. */
export type IntakeAnswers = Readonly<Record<string, unknown>>

export interface AnswerProblem {
  /** The key of the field. */
  key: string
  msg: string
  type: string
}

/**
 * Return the answers, with the default of each unanswered field added, and addresses and host names in the
 * signs that programs read.
 */
export function applyDefaults<T>(
  form: readonly IntakeField[],
  answers: Readonly<Record<string, T>>,
): Record<string, T> {
  const fields = form.filter(
    (field) => !hasAnswer(answers, field) && field.default !== undefined && field.default !== null,
  )
  const completed = {
    ...answers,
    ...Object.fromEntries(fields.map((field) => [field.key, field.default as T])),
  }
  for (const { key, type } of form) {
    const value: unknown = Object.hasOwn(completed, key) ? completed[key] : undefined
    const normalise = normalisers[type]
    if (typeof value === 'string' && normalise) completed[key] = normalise(value) as T
  }
  return completed
}

const normalisers: Partial<Record<IntakeField['type'], (text: string) => string>> = {
  email: normaliseEmail,
  hostname: normaliseHostname,
}

/** Check one set of answers. */
export type AnswerValidator = (answers: IntakeAnswers) => AnswerProblem[]

/**
 * Create a function that returns the problems of answers. With `complete`, a missing answer to a required
 * field is a problem too. Keys that the form does not have are allowed. The function throws 422 when the
 * patterns of all checked answers take too much work.
 */
export function createAnswerValidator(
  form: readonly IntakeField[],
  { complete }: { complete: boolean },
): AnswerValidator {
  const fields = form.map((field) => ({ field, validatePattern: createPatternValidator(field) }))
  return (answers) =>
    fields.flatMap(({ field, validatePattern }) => {
      const { key, label, required } = field
      if (hasAnswer(answers, field))
        return validateAnswer(field, answers[key], validatePattern).map((msg) => ({
          key,
          msg: `${label}: ${msg}`,
          type: 'invalid_answer',
        }))
      return complete && required ? [{ key, msg: `${label}: an answer is required`, type: 'missing' }] : []
    })
}

/** Return what makes the default of a field an answer that would be refused. */
export function findDefaultProblem(field: IntakeField): string | undefined {
  const answers = { [field.key]: field.default }
  return hasAnswer(answers, field)
    ? validateAnswer(field, field.default, createPatternValidator(field))[0]
    : undefined
}

function hasAnswer(answers: IntakeAnswers, { key }: IntakeField): boolean {
  const value = Object.hasOwn(answers, key) ? answers[key] : undefined
  if (value === undefined || value === null) return false
  return typeof value === 'string' ? value.trim() !== '' : !Array.isArray(value) || value.length > 0
}

type PatternValidator = (value: string) => string[]

function validateAnswer(field: IntakeField, value: unknown, validatePattern: PatternValidator): string[] {
  if (field.type === 'number')
    return typeof value === 'number' ? validateRange(field, value, '') : ['must be a number']
  if (field.type === 'boolean') return typeof value === 'boolean' ? [] : ['must be true or false']
  if (field.type === 'multiselect')
    return isSelection(field, value)
      ? []
      : [`must be a list of different values from ${formatOptions(field)}`]
  if (typeof value !== 'string') return ['must be text']
  if (field.type === 'select')
    return field.options?.includes(value) ? [] : [`must be one of ${formatOptions(field)}`]
  const format = formats[field.type]
  if (format) return format.isValid(value) ? validatePattern(value) : [format.msg]
  const length = [...value].length
  return [...validateRange(field, length, ' characters'), ...validatePattern(value)]
}

function validateRange({ min, max }: IntakeField, size: number, unit: string): string[] {
  if (typeof min === 'number' && size < min) return [`must be at least ${min}${unit}`]
  return typeof max === 'number' && size > max ? [`must be at most ${max}${unit}`] : []
}

function isSelection({ options }: IntakeField, value: unknown): boolean {
  return (
    Array.isArray(value) &&
    new Set(value).size === value.length &&
    value.every((item) => options?.includes(item))
  )
}

function formatOptions({ options }: IntakeField): string {
  return (options ?? []).join(', ')
}

/**
 * Create a function that returns the problem of an answer that does not match its field's pattern. An
 * unsupported pattern, which only drafts can have, accepts every answer.
 */
function createPatternValidator({ pattern }: IntakeField): PatternValidator {
  const matches = pattern ? compilePattern(pattern) : undefined
  if (!matches) return () => []
  return (value) => {
    if (value.length > maxPatternTextLength) return [`must be at most ${maxPatternTextLength} characters`]
    return matches(value) ? [] : ['must have the required format']
  }
}

const matchesSchema = (schema: z.ZodType, maxLength: number) => (text: string) =>
  text.length <= maxLength && schema.safeParse(text).success
type TextFieldType = Exclude<IntakeField['type'], 'number' | 'boolean' | 'multiselect' | 'select'>
/** The format of each type whose answers are texts; null for free text. */
const formats: Record<TextFieldType, { isValid: (text: string) => boolean; msg: string } | null> = {
  text: null,
  textarea: null,
  date: { isValid: matchesSchema(z.iso.date(), 10), msg: 'must be a date such as 2026-11-21' },
  email: {
    isValid: (text) => text.length <= 320 && emailPattern.test(normaliseEmail(text)),
    msg: 'must be an e-mail address',
  },
  ip: { isValid: matchesSchema(z.union([z.ipv4(), z.ipv6()]), 45), msg: 'must be an IPv4 or IPv6 address' },
  hostname: { isValid: (text) => isHostname(normaliseHostname(text)), msg: 'must be a host name' },
}
