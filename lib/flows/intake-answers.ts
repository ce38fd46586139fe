import { z } from 'zod'
import { isHostname } from '../text/hostname.ts'
import { compilePattern, patternReach } from '../text/pattern.ts'
import type { IntakeField } from './structure.ts'

export type Answers = Readonly<Record<string, unknown>>

/** What is wrong with one answer, by the key of its field. */
export interface AnswerProblem {
  key: string
  msg: string
  type: string
}

/** The answers with the defaults of fields that have none. */
export function withDefaults<T>(form: readonly IntakeField[], answers: Readonly<Record<string, T>>): Record<string, T> {
  const defaults = form.filter((field) => !isGiven(answers, field) && field.default !== undefined && field.default !== null)
  return { ...answers, ...Object.fromEntries(defaults.map((field) => [field.key, field.default as T])) }
}

/** Answers that do not fit their fields, and with `complete` also required ones that are missing. Keys the form does not ask for are free. */
export function answerProblems(form: readonly IntakeField[], answers: Answers, { complete }: { complete: boolean }): AnswerProblem[] {
  return form.flatMap((field) => {
    const { key, label, required } = field
    if (isGiven(answers, field))
      return misfits(field, answers[key]).map((msg) => ({ key, msg: `${label}: ${msg}`, type: 'invalid_answer' }))
    return complete && required ? [{ key, msg: `${label}: an answer is required`, type: 'missing' }] : []
  })
}

function isGiven(answers: Answers, { key }: IntakeField): boolean {
  const value = Object.hasOwn(answers, key) ? answers[key] : undefined
  if (value === undefined || value === null) return false
  return typeof value === 'string' ? value.trim() !== '' : !Array.isArray(value) || value.length > 0
}

function misfits(field: IntakeField, value: unknown): string[] {
  if (field.type === 'number') return typeof value === 'number' ? outside(field, value, '') : ['must be a number']
  if (field.type === 'boolean') return typeof value === 'boolean' ? [] : ['must be true or false']
  if (field.type === 'multiselect') return chosen(field, value) ? [] : [`must be a list of ${listed(field)}, each once`]
  if (typeof value !== 'string') return ['must be a text']
  if (field.type === 'select') return field.options?.includes(value) ? [] : [`must be one of ${listed(field)}`]
  const shape = shapes[field.type]
  if (shape) return shape.fits(value) ? unlike(field, value) : [shape.msg]
  return [...outside(field, [...value].length, ' characters'), ...unlike(field, value)]
}

function outside({ min, max }: IntakeField, size: number, unit: string): string[] {
  if (typeof min === 'number' && size < min) return [`must be at least ${min}${unit}`]
  return typeof max === 'number' && size > max ? [`must be at most ${max}${unit}`] : []
}

function chosen({ options }: IntakeField, value: unknown): boolean {
  return Array.isArray(value) && new Set(value).size === value.length && value.every((item) => options?.includes(item))
}

function listed({ options }: IntakeField): string {
  return (options ?? []).join(', ')
}

/** A pattern that cannot be run stops nobody: it is its author's mistake, and none that may be published has one. */
function unlike({ pattern }: IntakeField, value: string): string[] {
  const matches = pattern ? compilePattern(pattern) : undefined
  if (!matches) return []
  if (value.length > patternReach) return [`must be at most ${patternReach} characters`]
  return matches(value) ? [] : ['does not have the form that is asked for']
}

const fitting = (schema: z.ZodType, most: number) => (text: string) => text.length <= most && schema.safeParse(text).success
const shapes: Partial<Record<IntakeField['type'], { fits: (text: string) => boolean; msg: string }>> = {
  date: { fits: fitting(z.iso.date(), 10), msg: 'must be a date, as 2026-11-21' },
  email: { fits: fitting(z.email(), 320), msg: 'must be an e-mail address' },
  ip: { fits: fitting(z.union([z.ipv4(), z.ipv6()]), 45), msg: 'must be an IP address, version 4 or 6' },
  hostname: { fits: isHostname, msg: 'must be a host name' },
}
