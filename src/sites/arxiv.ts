/** arXiv: the page of an abstract leads to the whole paper, as HTML where it has that form, else as PDF. */
import type { Site } from "./site.ts";

export const arxiv: Site = {
  apiUrl: "https://arxiv.org",
  findPage({ pathname }) {
    const [, id] = /^\/abs\/((?:[a-z.-]+\/)?[\d.]+(?:v\d+)?)\/?$/i.exec(pathname) ?? [];
    if (id === undefined) return undefined;
    return async (api) => {
      try {
        return await api.open(`/html/${id}`, { accept: "text/html" });
      } catch {
        return await api.open(`/pdf/${id}`, { accept: "application/pdf" });
      }
    };
  },
};
