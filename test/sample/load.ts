import { type DependencyList, useCallback, useEffect, useRef, useState } from 'react'

export interface Loaded<T> {
  data: T | undefined
  error: unknown
  /** Ask again. What is shown stays until the answer comes. */
  reload: () => void
  set: (data: T) => void
}

/** Load what a page shows, again when `inputs` change. An answer that comes too late is dropped. */
export function useLoad<T>(load: (signal: AbortSignal) => PromiseLike<T>, inputs: DependencyList): Loaded<T> {
  const [state, setState] = useState<{ data?: T; error?: unknown }>({})
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    const leaving = new AbortController()
    load(leaving.signal).then(
      (data) => leaving.signal.aborted || setState({ data }),
      (error: unknown) => leaving.signal.aborted || setState({ error }),
    )
    return () => leaving.abort()
    // The caller names what the answer depends on.
  }, [...inputs, attempt])
  const reload = useCallback(() => setAttempt((n) => n + 1), [])
  const set = useCallback((data: T) => setState({ data }), [])
  return { data: state.data, error: state.error, reload, set }
}

/** Run what a button or a form does. While it runs, `isBusy` is true and a second call does nothing. */
export function useAction<Input extends unknown[]>(act: (...input: Input) => Promise<unknown>) {
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const running = useRef(false)
  const run = async (...input: Input) => {
    if (running.current) return
    running.current = true
    setBusy(true)
    setError(undefined)
    try {
      await act(...input)
    } catch (problem) {
      setError(problem)
    } finally {
      running.current = false
      setBusy(false)
    }
  }
  return { run, error, isBusy }
}
