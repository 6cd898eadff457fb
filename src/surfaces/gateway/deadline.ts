/** A time after which something is given up, unless it shows that it is at work. */
export type Deadline = {
  /** The time begins again. */
  restart(): void;
  clear(): void;
};

/** Calls `pass` once the time is over. */
export function startDeadline(ms: number, pass: () => void): Deadline {
  let signal = listen();

  function listen(): AbortSignal {
    const started = AbortSignal.timeout(ms);
    started.addEventListener("abort", pass, { once: true });
    return started;
  }

  const clear = (): void => signal.removeEventListener("abort", pass);
  return {
    clear,
    restart() {
      clear();
      signal = listen();
    },
  };
}
