import { type ReactNode, useEffect, useRef } from 'react'
import { ErrorNote } from './form.tsx'
import type { Loaded } from './load.ts'

/**
 * A heading that gets the focus when it appears, so that the keyboard and a screen reader go on from there.
 */
export function Heading({ tag: Tag, children }: { tag: 'h1' | 'h2'; children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <Tag tabIndex={-1} ref={heading}>
      {children}
    </Tag>
  )
}

export function Page({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Support desk`
  }, [title])
  return (
    <main>
      <Heading tag="h1">{title}</Heading>
      {children}
    </main>
  )
}

/** Show what was loaded, or that it is loading, failed or empty. */
export function Shown<T>({
  loaded,
  empty,
  children,
}: {
  loaded: Loaded<T>
  empty?: string
  children: (data: T) => ReactNode
}) {
  const { data, error, reload } = loaded
  if (error !== undefined) return <ErrorNote error={error} onRetry={reload} />
  if (data === undefined) return <p role="status">Loading …</p>
  if (empty && Array.isArray(data) && data.length === 0) return <p className="quiet">{empty}</p>
  return children(data)
}

export function formatTime(time: string): string {
  return new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }).format(
    new Date(time),
  )
}
