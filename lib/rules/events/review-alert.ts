import type { ReviewEvidence } from '#rules/flows/review.ts'
import { formatDate } from '#rules/reports/labels.ts'
import { isolate, sentence } from '#rules/text/sentence.ts'
import { toSnippet } from './snippet.ts'

/** The flows whose review is overdue, as the messages show them: the longest overdue ones. */
export interface ReviewAlert {
  flows: {
    tree_id: string
    name: string
    due_on: string
    /** The last review, which a link of the message follows; null before the first one. */
    reviewed_at: string | null
    /** What happened since. */
    since: string
  }[]
  /** How many more there are. */
  more: number
}

export interface ReviewDueEvent {
  key: 'flow.review_due'
  /** Who reviews the flows; null for the admins. */
  ownerId: string | null
  /** All flows that are announced. The first ones are listed. */
  count: number
  flows: {
    treeId: string
    name: string
    /** The local day, as YYYY-MM-DD. */
    dueOn: string
    reviewedAt: string | null
    evidence: ReviewEvidence | undefined
  }[]
}

/** Return the message about flows whose review is overdue. */
export function writeReviewMessage({ ownerId, count, flows }: ReviewDueEvent) {
  const review: ReviewAlert = {
    flows: flows.map(({ treeId, name, dueOn, reviewedAt, evidence }) => ({
      tree_id: treeId,
      name: toSnippet(name),
      due_on: dueOn,
      reviewed_at: reviewedAt,
      since: evidence ? writeEvidence(evidence) : '',
    })),
    more: count - flows.length,
  }
  const [first] = review.flows
  return {
    title:
      count === 1 ? sentence`Is this flow still right? ${first?.name ?? ''}` : `${count} flows need a review`,
    body: writeReviews(review),
    link: '/flows?review=overdue',
    review,
    userIds: ownerId === null ? [] : [ownerId],
    notifyAdmins: ownerId === null,
    emailRecipients: true,
  }
}

/** Say when the review of a flow was due. */
export const writeDueDay = (day: string) => `Due ${formatDate(day)}`

/** Return the flows as one text, for a message without a layout. */
function writeReviews({ flows, more }: ReviewAlert): string {
  const lines = flows.map(
    ({ name, due_on, since }) => `${writeDueDay(due_on)}: ${isolate(name)}${since && `. ${since}`}`,
  )
  return [...lines, ...(more > 0 ? [writeMore(more)] : [])].join('\n')
}

export const writeMore = (more: number) => `${more} more ${more === 1 ? 'is' : 'are'} in the app.`

function writeEvidence({ runs, ended, resolved, replay, open_findings }: ReviewEvidence): string {
  return [
    runs === 0 ? 'Not run since the last review.' : `Run ${toTimes(runs)} since the last review.`,
    ...(ended > 0 ? [`Resolved ${resolved} of ${ended} (${Math.round((resolved / ended) * 100)} %).`] : []),
    ...(replay ? [`In the last replay ${replay.unchanged} of ${replay.runs} runs ended as before.`] : []),
    open_findings === 0
      ? 'No findings.'
      : `${open_findings} ${open_findings === 1 ? 'finding' : 'findings'} in its health.`,
  ].join(' ')
}

const toTimes = (count: number) => (count === 1 ? 'once' : `${count} times`)
