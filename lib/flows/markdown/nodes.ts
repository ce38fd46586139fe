import type { z } from 'zod'
import { caps, FlowNode, FlowStep } from '../structure.ts'
import type { Say } from './lines.ts'
import type { Section } from './sections.ts'
import { sayIssues } from './vocabulary.ts'

// Sections as the nodes and steps they describe, each checked by itself against the shape of a flow.

export interface Placed {
  section: Section
  node: FlowNode
}

export function toNodes(sections: readonly Section[], say: Say): Placed[] {
  tooMany(sections, caps.nodes, 'nodes', say)
  return sections.map((section) => {
    const { options, next } = section
    const given = {
      ...fieldsOf(section, ['minutes', 'library', 'script', 'under'], say),
      options: options
        .slice(0, 101)
        .map(({ id, label, target }, index) => ({ id: id ?? `option-${index + 1}`, label, next_node_id: target })),
      next_node_id: next?.target,
    }
    sayRepeated(section, say)
    // A node of a wrong shape keeps its place, so that nothing else is wrong because of it.
    const stub: FlowNode = { id: section.id, type: 'solution', title: '', description: '' }
    return { section, node: checked(FlowNode, given, section, [], say) ?? stub }
  })
}

export function toSteps(sections: readonly Section[], say: Say): FlowStep[] {
  const groups: { section: Section; fallbacks: Section[] }[] = []
  for (const section of sections) {
    const links = [...section.options, ...(section.next ? [section.next] : [])]
    for (const { line } of links.slice(0, 1))
      say(line, 'Steps are done as they stand; only a troubleshooting flow has links. A backslash before the line makes it text')
    if (section.kind.type !== 'fallback') groups.push({ section, fallbacks: [] })
    else if (groups.length > 0) groups.at(-1)?.fallbacks.push(section)
    else say(section.line, 'A fallback stands below the step it belongs to; here is none yet')
  }
  const steps = groups.map(({ section }) => section)
  tooMany(steps, caps.steps, 'steps', say)
  return groups.slice(0, 2 * caps.steps).flatMap(({ section, fallbacks }) => {
    const given = {
      ...fieldsOf(section, ['minutes', 'library', 'script', 'group'], say),
      fallback_steps: fallbacks.slice(0, 51).map((fallback) => toFallback(fallback, say)),
    }
    return checked(FlowStep, given, section, fallbacks, say) ?? []
  })
}

function toFallback(section: Section, say: Say) {
  const { id, title, description } = fieldsOf(section, [], say)
  for (const { line } of section.attachments.slice(0, 1)) say(line, 'A fallback has no attachments')
  return { id, title, description }
}

function tooMany(sections: readonly Section[], most: number, what: string, say: Say): void {
  const first = sections[most]
  if (first) say(first.line, `The flow has ${sections.length} ${what}; at most ${most} are possible`)
}

const fieldNames: Record<string, string> = {
  minutes: 'estimated_minutes',
  library: 'library_visibility',
  script: 'script_template_id',
  group: 'group_label',
}

/** What a node and a step have in common; `under` is about its place. */
function fieldsOf({ line, kind, id, title, description, values, attachments }: Section, known: readonly string[], say: Say) {
  const fields: Record<string, unknown> = {}
  for (const [name, value] of values) {
    const field = fieldNames[name]
    if (!known.includes(name))
      say(line, `There is no attribute ${name} here; ${known.length > 0 ? `there are ${known.join(', ')}` : 'there is only the id'}`)
    else if (value === true) say(line, `The attribute ${name} has no value: ${name}=…`)
    else if (field) fields[field] = name === 'minutes' && /^\d{1,9}$/.test(value) ? Number(value) : value
  }
  const attached = attachments.map(({ title, url }) => ({ title, url }))
  return { id, type: kind.type, title, description, ...fields, ...(attached.length > 0 ? { attachments: attached } : {}) }
}

function checked<T>(schema: z.ZodType<T>, given: unknown, section: Section, fallbacks: readonly Section[], say: Say): T | undefined {
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  const lists: Record<string, readonly { line: number }[]> = {
    options: section.options,
    attachments: section.attachments,
    fallback_steps: fallbacks,
  }
  const lineOf = ([list, index]: readonly PropertyKey[]) => lists[String(list)]?.[Number(index)]?.line ?? section.line
  sayIssues(parsed.error.issues, section.word, lineOf, say)
  return undefined
}

function sayRepeated({ options }: Section, say: Say): void {
  const seen = new Set<string>()
  for (const [index, { id = `option-${index + 1}`, line }] of options.entries()) {
    if (seen.has(id)) say(line, `The option id ${id} is used twice in this decision`)
    seen.add(id)
  }
}

/** Gives an id to what has none, and says which are used twice; what is left has ids of its own. */
export function withIds(sections: readonly Section[], say: Say): Section[] {
  const lines = new Map<string, number>()
  const own = sections.filter(({ id, line }) => {
    const first = id ? lines.get(id) : undefined
    if (first !== undefined) say(line, `The id ${id} is used twice: line ${first} has it too`)
    else if (id) lines.set(id, line)
    return first === undefined
  })
  let last = 0
  const free = (word: string): string => {
    while (lines.has(`${word}-${++last}`));
    return `${word}-${last}`
  }
  return own.map((section) => (section.id ? section : { ...section, id: free(section.word.toLowerCase()) }))
}
