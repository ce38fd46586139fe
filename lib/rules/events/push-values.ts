// The values of the columns of notes and time entries that are pushed to a ticketing system.

export const pushKinds = ['note', 'time_entry', 'ticket'] as const

/** What a push documents; `user` for a text that a user wrote. */
export const pushSources = ['session', 'ai_session', 'output', 'user'] as const
export type PushSource = (typeof pushSources)[number]
