import { type EscalationQueueItem, isApiError } from '@support-flow/client'
import { useEffect, useState } from 'react'
import { client } from './client.ts'
import { Actions } from './form.tsx'
import { type Loaded, useLoad } from './load.ts'
import { formatTime, Page, Shown } from './page.tsx'
import { openPage } from './route.ts'

export interface LiveQueue extends Loaded<EscalationQueueItem[]> {
  /** What happened last, for people who look at another page. */
  news: string
}

/**
 * Keep the queue of escalations up to date: the stream says that something has changed, and the list is read
 * again.
 */
export function useQueue(userId: string): LiveQueue {
  const queue = useLoad(async (signal) => client.ai.escalations.listQueue({ limit: 100 }, { signal }), [])
  const [news, setNews] = useState('')
  const { reload } = queue
  useEffect(() => {
    const leaving = new AbortController()
    const follow = async () => {
      for await (const { event, data } of client.ai.escalations.stream({}, { signal: leaving.signal })) {
        if (event === 'handoff_created') setNews(`${data.engineer_name} escalated: ${data.title}`)
        if (event === 'handoff_claimed')
          setNews(data.claimed_by === userId ? '' : `${data.claimant_name} took a case`)
        // After an overflow some events are missing, and the list has what they said.
        if (event.startsWith('handoff_') || event === 'overflow') reload()
        if (event === 'replaced')
          setNews('Paused: five newer pages follow the queue. Reload this one to go on.')
      }
    }
    follow().catch(
      (error: unknown) =>
        leaving.signal.aborted ||
        setNews(isApiError(error) ? error.message : 'The connection was lost. Reload the page.'),
    )
    return () => leaving.abort()
  }, [reload, userId])
  return { ...queue, news }
}

export function QueuePage({ queue, userId }: { queue: LiveQueue; userId: string }) {
  return (
    <Page title="Queue">
      <p className="quiet">
        Claim a case to say that it is yours while you get ready: nobody is reminded of it any more. Pick it
        up to work on it: you see everything that was tried, and whoever escalated it is told.
      </p>
      <Shown loaded={queue} empty="Nobody waits for help. New escalations appear here by themselves.">
        {(items) => (
          <ul className="cards">
            {items.map((item) => (
              <QueueItem key={item.session_id} item={item} userId={userId} onChange={queue.reload} />
            ))}
          </ul>
        )}
      </Shown>
    </Page>
  )
}

function QueueItem({
  item,
  userId,
  onChange,
}: {
  item: EscalationQueueItem
  userId: string
  onChange: () => void
}) {
  const { session_id, handoff_id, title, urgency, engineer_name, client_name, created_at, claimed_by } = item
  const { acknowledged_by_name } = item
  // Also after a refusal the list is read again: a colleague may have been faster.
  const claim = async () =>
    handoff_id && client.ai.escalations.claim({ session_id, handoff_id }).finally(onChange)
  const pickUp = async () => {
    await client.ai.escalations.pickUp({ session_id })
    openPage('cases', session_id)
  }
  return (
    <li>
      <span className={`tag ${urgency}`}>{urgency}</span> <strong>{title}</strong>
      <p className="quiet">
        {[engineer_name, client_name, formatTime(created_at)].filter(Boolean).join(' · ')}
        {acknowledged_by_name && ` · seen by ${acknowledged_by_name}`}
        {claimed_by && (claimed_by === userId ? ' · claimed by you' : ' · claimed by a colleague')}
      </p>
      <Actions
        actions={[
          !claimed_by && handoff_id !== null && { text: 'Claim', act: claim },
          (!claimed_by || claimed_by === userId) && { text: 'Pick up', act: pickUp, isMain: true },
        ]}
      />
    </li>
  )
}
