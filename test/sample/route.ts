import { useSyncExternalStore } from 'react'

function onHashChange(listener: () => void): () => void {
  addEventListener('hashchange', listener)
  return () => removeEventListener('hashchange', listener)
}

/**
 * Return the parts of the address after `#/`, such as `['flows', id]`. A reload and the back button keep the
 * page.
 */
export function useRoute(): string[] {
  const hash = useSyncExternalStore(onHashChange, () => location.hash)
  return hash.replace(/^#\/?/, '').split('/').filter(Boolean)
}

export function openPage(...parts: string[]): void {
  location.hash = `#/${parts.join('/')}`
}
