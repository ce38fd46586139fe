/** What is stored about an event and its subscription. Times are RFC 3339. */
export interface EventHistory {
  /** Whether the event was stored for its account. */
  isReplayed: boolean
  /** The newest applied event of the same subscription, and its time at the provider. Null without one. */
  lastEvent: { id: string; at: string } | null
}

export interface TimedEvent {
  id: string
  /** The provider's time of the event, RFC 3339 in whole seconds. */
  at: string
  /**
   * Whether the subscription's state was fetched from the provider after the event arrived. Otherwise it is
   * the state in the event.
   */
  isFetched: boolean
}

/**
 * Decide whether an event's state of a subscription is the newest. Each subscription has its own clock,
 * because the provider promises no order:
 * https://docs.stripe.com/webhooks#event-ordering. `tie`: only the provider knows the state after two events of one second.
 */
export function decideEvent(
  { isReplayed, lastEvent }: EventHistory,
  { id, at, isFetched }: TimedEvent,
): 'newest' | 'replayed' | 'tie' | 'stale' {
  // The event of a subscription without an account yet is stored only as its newest one.
  if (isReplayed || lastEvent?.id === id) return 'replayed'
  if (lastEvent === null) return 'newest'
  const ms = Date.parse(at) - Date.parse(lastEvent.at)
  if (ms === 0 && !isFetched) return 'tie'
  return ms < 0 ? 'stale' : 'newest'
}
