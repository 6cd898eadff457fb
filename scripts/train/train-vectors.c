/*
 * Trains two vectors for each term: one for questions, one for code. A question and a code are the sums of their terms'
 * vectors, made one long. In each batch, every question has to find its own code among those of the batch, half of which
 * are of the same repository. How many words the two share is a feature of the loss, so the vectors learn only what words
 * do not tell; and half of the codes lose most of the words that they share with their question.
 *
 *   train-vectors PAIRS VECTORS SEED
 *
 * train-table.ts compiles and runs it: C, because a batch takes a sixth of the time that it takes in JavaScript.
 * PAIRS: pair count, term count, rarity of each term, then for each pair its repository, the number of its question's and
 * its code's terms, and the terms. VECTORS: those of the questions' terms, then those of the codes', as 32-bit floats.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIMENSIONS = 64, BATCH = 512, BLOCK = 256, EPOCHS = 3, MAX_TERMS = 250, QUESTION = 0, CODE = 1 };

static const float LEARNING_RATE = 0.1f;
static const float SCALE = 16;
static const float GRADIENT_SCALE = 16.0f / 64;
static const float INITIAL_SIZE = 0.005f;
/* The share of codes that are masked, and of their common words that they keep. */
static const float MASKED_SHARE = 0.5f;
static const float KEPT_SHARE = 0.25f;
/* What Adagrad's sums begin with: it slows down the first steps. */
static const float INITIAL_SQUARE = 1e-3f;
/* Smaller gradients are left out: nearly all are, and together they change hardly anything. */
static const float MIN_GRADIENT = 3e-5f;

typedef struct {
  int repository;
  int count[2];
  const int *terms[2];
} Pair;

static int pairCount, termCount;
static float *rarity;
static Pair *pairs;
static float *vectors[2], *squares[2];
static float lexicalWeight = 10, lexicalSquares = 1e-3f;

static float sums[2][BATCH][DIMENSIONS], gradients[2][BATCH][DIMENSIONS], lengths[2][BATCH];
static float shares[BATCH][BATCH], lexical[BATCH][BATCH];
static int masked[BATCH][MAX_TERMS];

static uint64_t state;

/* Numbers from 0 to 1, the same for the same seed (xorshift). */
static float drawNumber(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (float)(state >> 40) / (1 << 24);
}

static void shuffle(int *numbers, int count) {
  for (int last = count - 1; last > 0; last--) {
    int other = (int)(drawNumber() * (last + 1)) % (last + 1);
    int number = numbers[last];
    numbers[last] = numbers[other];
    numbers[other] = number;
  }
}

static void *allocate(size_t bytes) {
  void *memory = malloc(bytes);
  if (memory == NULL) exit(2);
  return memory;
}

static void readPairs(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) exit(2);
  size_t bytes = (size_t)ftell(file);
  rewind(file);
  int *numbers = allocate(bytes);
  if (fread(numbers, 1, bytes, file) != bytes) exit(2);
  fclose(file);
  pairCount = numbers[0];
  termCount = numbers[1];
  rarity = (float *)(numbers + 2);
  pairs = allocate(sizeof(Pair) * (size_t)pairCount);
  const int *next = numbers + 2 + termCount;
  for (int pair = 0; pair < pairCount; pair++) {
    Pair *each = &pairs[pair];
    each->repository = next[0];
    each->count[QUESTION] = next[1];
    each->count[CODE] = next[2];
    each->terms[QUESTION] = next + 3;
    each->terms[CODE] = next + 3 + next[1];
    next += 3 + next[1] + next[2];
  }
}

/* Both sides begin with the same vectors: at first a word means itself. */
static void startVectors(void) {
  size_t count = (size_t)termCount * DIMENSIONS;
  for (int side = 0; side < 2; side++) {
    vectors[side] = allocate(count * sizeof(float));
    squares[side] = allocate(count * sizeof(float));
    for (size_t place = 0; place < count; place++) squares[side][place] = INITIAL_SQUARE;
  }
  for (size_t place = 0; place < count; place++) {
    vectors[QUESTION][place] = (drawNumber() * 2 - 1) * INITIAL_SIZE * rarity[place / DIMENSIONS];
  }
  memcpy(vectors[CODE], vectors[QUESTION], count * sizeof(float));
}

static int hasTerm(const Pair *pair, int term) {
  for (int index = 0; index < pair->count[QUESTION]; index++) {
    if (pair->terms[QUESTION][index] == term) return 1;
  }
  return 0;
}

/* The pair, or one whose code has lost most of the words that it shares with its question. */
static Pair maskPair(const Pair *pair, int row) {
  Pair result = *pair;
  if (drawNumber() >= MASKED_SHARE) return result;
  int kept = 0;
  for (int index = 0; index < pair->count[CODE]; index++) {
    int term = pair->terms[CODE][index];
    if (!hasTerm(pair, term) || drawNumber() < KEPT_SHARE) masked[row][kept++] = term;
  }
  if (kept < 3) return result;
  result.terms[CODE] = masked[row];
  result.count[CODE] = kept;
  return result;
}

static void sumVectors(const Pair *batch) {
  for (int side = 0; side < 2; side++) {
    for (int row = 0; row < BATCH; row++) {
      float *sum = sums[side][row];
      memset(sum, 0, sizeof(float) * DIMENSIONS);
      for (int index = 0; index < batch[row].count[side]; index++) {
        const float *vector = vectors[side] + (size_t)batch[row].terms[side][index] * DIMENSIONS;
        for (int place = 0; place < DIMENSIONS; place++) sum[place] += vector[place];
      }
      float square = 1e-9f;
      for (int place = 0; place < DIMENSIONS; place++) square += sum[place] * sum[place];
      float length = sqrtf(square);
      for (int place = 0; place < DIMENSIONS; place++) sum[place] /= length;
      lengths[side][row] = length;
    }
  }
}

/* The share of a question's rarity that each code of the batch has. */
static void measureLexical(const Pair *batch) {
  static int *firstRow, nextEntry[BATCH * MAX_TERMS], rowOf[BATCH * MAX_TERMS];
  if (firstRow == NULL) {
    firstRow = allocate(sizeof(int) * (size_t)termCount);
    for (int term = 0; term < termCount; term++) firstRow[term] = -1;
  }
  int entries = 0;
  for (int row = 0; row < BATCH; row++) {
    for (int index = 0; index < batch[row].count[CODE]; index++) {
      int term = batch[row].terms[CODE][index];
      rowOf[entries] = row;
      nextEntry[entries] = firstRow[term];
      firstRow[term] = entries++;
    }
  }
  memset(lexical, 0, sizeof(lexical));
  for (int row = 0; row < BATCH; row++) {
    float total = 1e-6f;
    for (int index = 0; index < batch[row].count[QUESTION]; index++) total += rarity[batch[row].terms[QUESTION][index]];
    for (int index = 0; index < batch[row].count[QUESTION]; index++) {
      int term = batch[row].terms[QUESTION][index];
      for (int entry = firstRow[term]; entry >= 0; entry = nextEntry[entry]) {
        lexical[row][rowOf[entry]] += rarity[term] / total;
      }
    }
  }
  for (int row = 0; row < BATCH; row++) {
    for (int index = 0; index < batch[row].count[CODE]; index++) firstRow[batch[row].terms[CODE][index]] = -1;
  }
}

typedef struct {
  double loss;
  long hits, pairs;
} Totals;

/* The probability that the model gives each code for each question; less one for the right code, it is the gradient. */
static void scoreBatch(Totals *totals) {
  float lexicalGradient = 0;
  for (int row = 0; row < BATCH; row++) {
    float highest = -1e30f;
    int best = 0;
    for (int code = 0; code < BATCH; code++) {
      float cosine = 0;
      for (int place = 0; place < DIMENSIONS; place++) cosine += sums[QUESTION][row][place] * sums[CODE][code][place];
      float score = SCALE * cosine + lexicalWeight * lexical[row][code];
      shares[row][code] = score;
      if (score > highest) {
        highest = score;
        best = code;
      }
    }
    float total = 0;
    for (int code = 0; code < BATCH; code++) {
      shares[row][code] = expf(shares[row][code] - highest);
      total += shares[row][code];
    }
    for (int code = 0; code < BATCH; code++) shares[row][code] /= total;
    totals->loss -= logf(shares[row][row] + 1e-12f);
    totals->hits += best == row;
    totals->pairs += 1;
    shares[row][row] -= 1;
    for (int code = 0; code < BATCH; code++) lexicalGradient += shares[row][code] * lexical[row][code];
  }
  lexicalGradient /= BATCH;
  lexicalSquares += lexicalGradient * lexicalGradient;
  lexicalWeight -= 0.3f * lexicalGradient / sqrtf(lexicalSquares);
}

static void collectGradients(void) {
  memset(gradients, 0, sizeof(gradients));
  for (int row = 0; row < BATCH; row++) {
    for (int code = 0; code < BATCH; code++) {
      if (fabsf(shares[row][code]) < MIN_GRADIENT) continue;
      float gradient = shares[row][code] * GRADIENT_SCALE;
      for (int place = 0; place < DIMENSIONS; place++) {
        gradients[QUESTION][row][place] += gradient * sums[CODE][code][place];
        gradients[CODE][code][place] += gradient * sums[QUESTION][row][place];
      }
    }
  }
}

/* Adagrad: a term that was changed much is changed less. */
static void updateVectors(const Pair *batch, float rate) {
  for (int side = 0; side < 2; side++) {
    for (int row = 0; row < BATCH; row++) {
      const float *unit = sums[side][row];
      float *slope = gradients[side][row];
      float along = 0;
      for (int place = 0; place < DIMENSIONS; place++) along += unit[place] * slope[place];
      for (int place = 0; place < DIMENSIONS; place++) {
        slope[place] = (slope[place] - along * unit[place]) / lengths[side][row];
      }
      for (int index = 0; index < batch[row].count[side]; index++) {
        size_t start = (size_t)batch[row].terms[side][index] * DIMENSIONS;
        float *vector = vectors[side] + start, *past = squares[side] + start;
        for (int place = 0; place < DIMENSIONS; place++) {
          past[place] += slope[place] * slope[place];
          vector[place] -= rate * slope[place] / sqrtf(past[place]);
        }
      }
    }
  }
}

/* Pairs in another order: shuffled within each repository, then in blocks, most of them of one repository. */
static void orderPairs(int *order, int *blocks, int blockCount) {
  for (int pair = 0; pair < pairCount; pair++) order[pair] = pair;
  for (int first = 0, end = 0; first < pairCount; first = end) {
    while (end < pairCount && pairs[end].repository == pairs[first].repository) end++;
    shuffle(order + first, end - first);
  }
  for (int block = 0; block < blockCount; block++) blocks[block] = block;
  shuffle(blocks, blockCount);
}

int main(int count, char **arguments) {
  if (count != 4) return 2;
  state = 88172645463325252ULL + 7919ULL * (uint64_t)atoi(arguments[3]);
  readPairs(arguments[1]);
  startVectors();
  int blockCount = pairCount / BLOCK, batches = blockCount * BLOCK / BATCH;
  int *order = allocate(sizeof(int) * (size_t)pairCount), *blocks = allocate(sizeof(int) * (size_t)blockCount);
  for (int epoch = 0; epoch < EPOCHS; epoch++) {
    orderPairs(order, blocks, blockCount);
    Totals totals = {0, 0, 0};
    for (int step = 0; step < batches; step++) {
      static Pair batch[BATCH];
      for (int row = 0; row < BATCH; row++) {
        int block = blocks[step * (BATCH / BLOCK) + row / BLOCK];
        batch[row] = maskPair(&pairs[order[block * BLOCK + row % BLOCK]], row);
      }
      float done = (float)(epoch * (long)batches + step) / (float)(EPOCHS * (long)batches);
      measureLexical(batch);
      sumVectors(batch);
      scoreBatch(&totals);
      collectGradients();
      updateVectors(batch, LEARNING_RATE * (1.001f - done));
    }
    printf("epoch %d: loss %.4f, right %.4f, words %.2f\n", epoch + 1, totals.loss / totals.pairs,
           (double)totals.hits / totals.pairs, lexicalWeight);
    fflush(stdout);
  }
  FILE *file = fopen(arguments[2], "wb");
  if (file == NULL) return 2;
  size_t written = 0, size = (size_t)termCount * DIMENSIONS;
  for (int side = 0; side < 2; side++) written += fwrite(vectors[side], sizeof(float), size, file);
  return fclose(file) == 0 && written == size * 2 ? 0 : 2;
}
