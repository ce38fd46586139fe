import { maxNodeLength } from './blocks.ts'

export const maxNodes = 100

/** A heading, or text that belongs together. Each segment becomes a node or a part of one. */
export interface Segment {
  kind: 'section' | 'step' | 'note' | 'decision' | 'option'
  /** 1 to 6 for a section and for the start of a unit, otherwise 0. */
  level: number
  text: string
  /**
   * Whether the text starts with a heading that did not become a section. The unit continues until the next
   * heading.
   */
  startsUnit?: boolean
  isInUnit?: boolean
  /** The number of segments that were merged into this one. */
  partCount: number
  /** The headings of the other units that were merged into this segment. */
  mergedHeadings?: string[]
  /** The questions that were merged into this segment, and are no decisions any more. */
  mergedQuestions?: string[]
}

/** Which segments may be merged: `parts` of one section; also `sections`; also `decisions`. */
export const mergeScopes = ['parts', 'sections', 'decisions'] as const
export type MergeScope = (typeof mergeScopes)[number]

const separator = '\n\n'

export function canAppend(segment: Segment, text: string): boolean {
  return segment.kind !== 'section' && segment.text.length + separator.length + text.length <= maxNodeLength
}

/** Append a text. A segment with a step in it is a step. */
export function appendText(segment: Segment, text: string, kind: 'step' | 'note'): Segment {
  return { ...segment, kind: kind === 'step' ? 'step' : segment.kind, text: segment.text + separator + text }
}
