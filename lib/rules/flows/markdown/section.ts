import type { Attributes } from './line-syntax.ts'

// A section of the file: a heading with what is below it.

export const sectionKinds = {
  decision: { type: 'decision', hashes: '##', structure: 'tree' },
  action: { type: 'action', hashes: '##', structure: 'tree' },
  solution: { type: 'solution', hashes: '##', structure: 'tree' },
  step: { type: 'procedure_step', hashes: '##', structure: 'steps' },
  section: { type: 'section_header', hashes: '##', structure: 'steps' },
  end: { type: 'procedure_end', hashes: '##', structure: 'steps' },
  fallback: { type: 'fallback', hashes: '###', structure: 'steps' },
} as const
export type SectionKind = (typeof sectionKinds)[keyof typeof sectionKinds]

export interface Link {
  line: number
  id?: string | undefined
  label: string
  target: string | null
  /** A loose link does not make its target a child of this node. Drafts can have such links. */
  isLoose: boolean
}
export interface Section {
  line: number
  /** The first word of the heading, such as `Step`. */
  word: string
  kind: SectionKind
  title: string
  /** Empty if the heading has no id. */
  id: string
  attributes: Attributes['values']
  description: string
  attachments: { line: number; title: string; url: string }[]
  /** Not validated yet. */
  evidence: { line: number; type: string; key: string; label: string; options: string[] }[]
  /** Not validated yet. */
  approval: { line: number; roles: string[]; user_ids: string[]; expires_after_minutes: string } | null
  /** The sub-flow as it is written, not validated. */
  subflow: { line: number; value: unknown } | null
  options: Link[]
  nextLink: Link | null
}
