/** After a service could not be reached, calls fail at once for a moment, so that one reply waits only once. */

/** Short, so that a service that is back is used again soon; longer than a reply needs for the rest of its calls. */
const DEFAULT_PAUSE_MS = 2_000;

export type PauseAfterFailure = {
  /** The failure that calls fail with for now; undefined if the service may be asked. */
  current(): unknown;
  /** Notes that the service could not be reached. During a pause nothing was asked, so that it is not made longer. */
  begin(failure: unknown): void;
  end(): void;
};

export function pauseAfterFailure(
  pauseMs = DEFAULT_PAUSE_MS,
  now: () => number = performance.now.bind(performance),
): PauseAfterFailure {
  let pause: { readonly failure: unknown; readonly until: number } | undefined;
  return {
    current: () => (pause !== undefined && now() < pause.until ? pause.failure : undefined),
    begin(failure) {
      if (pause !== undefined && now() < pause.until) return;
      pause = { failure, until: now() + pauseMs };
    },
    end() {
      pause = undefined;
    },
  };
}
